import { constants, setPriority } from 'node:os';

/** Lets the service, which may run on the same machine, go first. */
export function lowerPriority(): void {
  setPriority(constants.priority.PRIORITY_LOW);
}
