import type { ClockReader, ClockState, ClockStore } from '../../../kernel/clock-store.port.js';
import type { Statements } from '../database/statements.js';
import { putValue } from './store-values.js';

const key = 'clock';

export function clockReader(connection: Statements): ClockReader {
  return {
    async find() {
      const row = await connection.get<{ value: string }>('SELECT value FROM store WHERE key = $1', key);
      return row && (JSON.parse(row.value) as ClockState);
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
