import { afterEach, beforeEach } from 'vitest';

interface Reopenable<T> {
  destroy(): Promise<void>;
  reopen(): Promise<T>;
}

/** Opens an engine before each test, and destroys it afterwards. */
export function openForEachTest<T extends Reopenable<T>>(open: () => Promise<T>) {
  let opened: T;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  return {
    /** Returns the engine of the current test. */
    opened: () => opened,
    /** Closes the engine, and opens it with what it has stored. */
    reopen: async () => {
      opened = await opened.reopen();
    },
  };
}
