import { constants, setPriority } from 'node:os';

/** Gives the service, which may run on the same machine, priority over this process. */
export function lowerPriority(): void {
  setPriority(constants.priority.PRIORITY_LOW);
}
