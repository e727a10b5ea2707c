#!/usr/bin/env bash
# @DOES@ as an array of Slurm: `sbatch THIS`. The folder lies where every node sees it; indexes need
# a local disk, so each shard is done in $TMPDIR and then put beside its list.
#SBATCH --job-name=focalist
#SBATCH --array=0-@LAST@
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=08:00:00
#SBATCH --requeue
set -uo pipefail
shards=@SHARDS@
focalist=${FOCALIST:-focalist}
name=$(printf 'shard-%04d' "$SLURM_ARRAY_TASK_ID")

# Done, by a former try.
if [ -f "$shards/$name/shard.json" ]; then exit 0; fi

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$focalist" @WORK@ --shard "$shards/$name.jsonl" --output "$here/$name" "$@"
code=$?
if [ "$code" -eq 0 ]; then
  # A name that is there means that all of it is.
  rm -rf "$shards/$name.part"
  cp -r "$here/$name" "$shards/$name.part" && mv -T "$shards/$name.part" "$shards/$name" || code=75
fi
# 75: the disk, the network or a killed process. Three times it is tried again, on whichever node is free.
if [ "$code" -eq 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"

# When all are done:
#   focalist merge @SHARDS@/shard-* @TARGET@ --strict
@LAST_STEP@
