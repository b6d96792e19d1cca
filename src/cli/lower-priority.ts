import { constants, setPriority } from 'node:os';

/** Lowers the priority of this process, so that a service on the same machine has priority. */
export function lowerPriority(): void {
  setPriority(constants.priority.PRIORITY_LOW);
}
