"""What a judged run holds: tracemalloc by file."""
import sys, tempfile, tracemalloc
from pathlib import Path
from bench.bulk import Bulk, make_run
from memgauge.records import Contract
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard
from memgauge.scoring.score import Settings
folder=Path(tempfile.mkdtemp()); bulk=Bulk(5,20,50)
made=make_run(folder/"made","random:seed=1",bulk)
named=folder/"runs"; named.mkdir(); N=100
for i in range(N): (named/f"{i:06d}").symlink_to(made)
gold,settings=GoldTable.read(bulk),Settings(Contract(),("nDCG@10","Hit@5"),k=10)
align(load(made),gold,settings.contract,settings.depth)
tracemalloc.start(4)
a=tracemalloc.take_snapshot()
runs=[load(p) for p in sorted(named.iterdir())]
b=tracemalloc.take_snapshot(); print("load KB/run", sum(s.size_diff for s in b.compare_to(a,"filename"))/1024/N)
j=[align(r,gold,settings.contract,settings.depth) for r in runs]
c=tracemalloc.take_snapshot(); print("align KB/run", sum(s.size_diff for s in c.compare_to(b,"filename"))/1024/N)
board=leaderboard(j,gold,settings)
d=tracemalloc.take_snapshot(); print("board KB/run", sum(s.size_diff for s in d.compare_to(c,"filename"))/1024/N)
for name,x,y in (("load",a,b),("align",b,c),("board",c,d)):
    print("==",name)
    for s in y.compare_to(x,"lineno")[:14]: print(f"{s.size_diff/1024/N:8.2f} KB", s.traceback[0].filename[-60:], s.traceback[0].lineno)
