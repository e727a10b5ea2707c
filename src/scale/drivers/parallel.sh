#!/usr/bin/env bash
# @DOES@ with GNU parallel, one a core, and merges what comes of it into @INTO@.
#
# Run it again after anything: shards that are done end at once, a shard that is half done goes on where it stopped.
# Set before it: JOBS (how many at once), HOSTS (`a,b,c` for --sshlogin; they need the same folders and programs).
set -euo pipefail
shards=@SHARDS@
focalist=${FOCALIST:-focalist}

# Of the joblog only what failed is tried again. Code 75 says that trying again may help: twice more it is.
options=(--jobs "${JOBS:-100%}" --joblog "$shards/joblog" --resume-failed --retries 3 --quote)
if [ -n "${HOSTS:-}" ]; then options+=(--sshlogin "$HOSTS"); fi

parallel "${options[@]}" "$focalist" @WORK@ --shard {} --output {.} "$@" ::: "$shards"/shard-*.jsonl

# Only when every shard is done: parallel's exit code is the number of those that failed.
"$focalist" merge "$shards"/shard-* @TARGET@ --strict
@LAST_STEP@
