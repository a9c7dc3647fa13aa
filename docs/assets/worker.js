/* A page that is opened from a folder may start no worker: the search then lives in a hidden frame of the page. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      const send = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      let waiting = [];
      this.postMessage = (data) => (waiting ? waiting.push(data) : send(data));
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      script.addEventListener("load", () => {
        waiting.forEach(send);
        waiting = null;
      });
      script.src = new URL(url, location.href).href;
      frame.contentDocument.documentElement.append(script);
    }
  };
}
