"""@DOES@ with Ray, one a core, and merges what comes of it into @INTO@.

Run it again after anything: shards that are done end at once. All nodes need the folder and the program. RAY_ADDRESS says
which cluster; without it Ray starts one here.
"""

import glob
import os
import subprocess
import sys
import time

if os.path.basename(__file__) == "ray.py":
    sys.exit("give this file another name: as ray.py, Python takes it for Ray itself")

import ray

SHARDS = @SHARDS@
WORK = @WORK@
# What is called in the end, once every shard is done.
TARGET = @TARGET@
LAST_STEP = @LAST_STEP@
FOCALIST = os.environ.get("FOCALIST", "focalist")
TRY_AGAIN = 75


class TryAgain(Exception):
    """The disk, the network or a killed process: another try may help."""


# A task whose node is lost is tried again, as is one that says so; what ends with another code is final.
@ray.remote(num_cpus=1, max_retries=10, retry_exceptions=[TryAgain])
def work(shard, options):
    output = shard.removesuffix(".jsonl")
    command = [FOCALIST, *WORK, "--shard", shard, "--output", output, *options]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode == TRY_AGAIN:
        # What a lost node started may live a little longer than it; until then the shard is in use.
        time.sleep(5)
        raise TryAgain(ended.stderr[-500:])
    return shard, ended.returncode, ended.stderr[-500:]


def main():
    ray.init(address=os.environ.get("RAY_ADDRESS"))
    shards = sorted(glob.glob(os.path.join(glob.escape(SHARDS), "shard-*.jsonl")))
    tasks = [work.remote(shard, sys.argv[1:]) for shard in shards]
    n_failed = 0
    while tasks:
        done, tasks = ray.wait(tasks)
        try:
            shard, code, said = ray.get(done[0])
        except Exception as error:
            shard, code, said = "a shard", 1, str(error)[-500:]
        if code != 0:
            n_failed += 1
            print(f"{shard}: exit code {code}: {said}", file=sys.stderr)
    if n_failed:
        sys.exit(f"{n_failed} of {len(shards)} shards failed; run this again")
    folders = sorted(glob.glob(os.path.join(glob.escape(SHARDS), "shard-*")))
    code = subprocess.call([FOCALIST, "merge", *folders, *TARGET, "--strict"])
    if code == 0 and LAST_STEP:
        code = subprocess.call([FOCALIST, *LAST_STEP, *sys.argv[1:]])
    sys.exit(code)


if __name__ == "__main__":
    main()
