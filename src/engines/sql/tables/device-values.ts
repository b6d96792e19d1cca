import type { DeviceValuesReader, DeviceValuesStore, ValuesStage } from '../../../entries/device-values-store.port.js';
import type { Statements } from '../statements.port.js';
import { advancePosition, findPosition } from '../store-values.js';

const keyOf = (stage: ValuesStage): string => `device_values_${stage}`;

export function deviceValuesReader(connection: Statements): DeviceValuesReader {
  return { findPosition: (stage) => findPosition(connection, keyOf(stage)) };
}

export function deviceValuesStore(connection: Statements): DeviceValuesStore {
  return {
    ...deviceValuesReader(connection),
    advance: (stage, from, to) => advancePosition(connection, keyOf(stage), from, to),
  };
}
