import type { ClockReader, ClockState, ClockStore } from '../../../kernel/clock-store.port.js';
import type { Statements } from '../statements.port.js';
import { findValue, putValue } from '../store-values.js';

const key = 'clock';

export function clockReader(connection: Statements): ClockReader {
  return {
    async find() {
      const value = await findValue(connection, key);
      return value === undefined ? undefined : (JSON.parse(value) as ClockState);
    },
  };
}

export function clockStore(connection: Statements): ClockStore {
  return {
    ...clockReader(connection),
    async put(state) {
      await putValue(connection, key, JSON.stringify(state));
    },
  };
}
