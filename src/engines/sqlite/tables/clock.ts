import type { ClockReader, ClockState, ClockStore } from '../../../kernel/clock-store.port.js';
import type { Statements } from '../database/connection.js';

const key = 'clock';

export function clockReader(connection: Statements): ClockReader {
  return {
    async find() {
      const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', key);
      return row && (JSON.parse(row.value) as ClockState);
    },
  };
}

export function clockStore(connection: Statements): ClockStore {
  return {
    ...clockReader(connection),
    async put(state) {
      connection.run('INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)', key, JSON.stringify(state));
    },
  };
}
