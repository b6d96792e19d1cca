/** Callbacks that continue long reads, oldest first. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later round of the event loop. In each round, one long read at most continues after this: many at the same
 * time delay other work as little as one does.
 */
export function nextSharedTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(grantOne);
  });
}

function grantOne(): void {
  const resolve = waiting.shift();
  if (waiting.length > 0) setImmediate(grantOne);
  resolve?.();
}
