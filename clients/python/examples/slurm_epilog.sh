#!/bin/sh
# Posts the end of a job. Set it as Epilog in slurm.conf. Slurm runs it as root, with the job in SLURM_JOB_… variables.
set -u

# The file sets LOGBOOK_URL and LOGBOOK_TOKEN.
if [ -r /etc/logbook-client.env ]; then
    set -a
    . /etc/logbook-client.env
    set +a
fi

# A failure would drain the node. While the logbook is unreachable, the entry waits on the disk.
${LOGBOOK_COMMAND:-logbook} post \
    "Job ${SLURM_JOB_ID} of ${SLURM_JOB_USER:-unknown} ended" \
    "Job \`${SLURM_JOB_NAME:-}\` on ${SLURM_JOB_NODELIST:-}, exit code ${SLURM_JOB_EXIT_CODE:-?}." \
    --logbook "${LOGBOOK_LOGBOOKS:-operations}" \
    --property "slurm.job=${SLURM_JOB_ID}" >/dev/null || true
