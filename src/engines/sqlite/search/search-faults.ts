import { Fault } from '../../../kernel/fault.js';

export function searchTooSlow(): Fault {
  return new Fault(
    'unavailable',
    'search.too-slow',
    'The search took too long and was given up. Narrow it, for example by a time window.',
  );
}

export function searchCancelled(): Fault {
  return new Fault('unavailable', 'search.cancelled', 'The search was given up: nobody waits for its answer.');
}
