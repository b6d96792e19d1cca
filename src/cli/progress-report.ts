const intervalMs = 5_000;

/** Returns a function that prints the progress every few seconds. */
export function progressReport(what: string): (done: number, all: number) => void {
  let lastReportMs = performance.now();
  return (done, all) => {
    if (performance.now() - lastReportMs < intervalMs) return;
    lastReportMs = performance.now();
    console.log(`${done} of ${all} ${what}.`);
  };
}
