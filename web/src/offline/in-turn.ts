/** Makes one change of this name at a time, across all pages and workers. Browsers without locks do not wait. */
export async function inTurn<Result>(name: string, change: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? await navigator.locks.request(name, change) : await change();
}
