#!/bin/sh
# A memory in shell and jq that speaks wire/1: memgauge systems check "wire:command=sh examples/toy.sh"
exec jq --null-input --compact-output --unbuffered '
def words: [ascii_downcase | scan("[a-z0-9]+")];
def key: .params.scope | [.tenant, .user, .agent, .session] | tojson;
def answer($stored):
  . as $asked | (.params.query // "" | words) as $query |
  if .method == "hello" then
    {protocol: "wire/1", name: "toy-shell", version: "1",
     capabilities: {reports_changes: true, declares_sources: true}}
  elif .method == "ingest" then {changes: [.params.turns[] | {op: "add", memory: .id}]}
  elif .method == "dump" then {memories: ($stored[key] // [])}
  elif .method == "search" then
    {score_kind: "similarity", hits: (
      [($stored[key] // [])[] | . as $memory
       | {memory: $memory, score: ([$memory.text | words[] | select(IN($query[]))] | length)}]
      | sort_by(-.score) | .[:$asked.params.k])}
  else {} end;
foreach inputs as $asked ({};
  if $asked.method == "ingest" then
    .[$asked | key] += [$asked.params.turns[] | {id, text, sources: [.id]}]
  elif $asked.method == "reset" then {} else . end;
  . as $stored | $asked | select(.id != null) | {jsonrpc: "2.0", id, result: answer($stored)})
'
