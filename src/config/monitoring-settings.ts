import type { TracingOptions } from '../integrations/opentelemetry/tracing-options.js';
import { parseLogLevel } from './setting-parsers.js';
import { duration, list, optional, setting } from './setting-types.js';

/** Settings for slow requests, traces and the log. */
export const monitoringSettings = {
  slowRequestThreshold: duration(
    '1s',
    'Time after which a request is logged as slow, not counting the time in which its client sends or reads. 0s: never.',
    { zero: true, fine: true },
  ),
  tracingEndpoint: optional(
    'URL',
    'OTLP URL of an OpenTelemetry collector, such as http://localhost:4318/v1/traces. Empty: nothing is traced.',
    parseEndpoint,
  ),
  tracingHeaders: {
    ...list(
      'FIELDS',
      '',
      'Header fields of the requests to the collector, such as a key: name=value, comma-separated.',
      parseHeader,
    ),
    secret: true,
  },
  tracingSampleRatio: setting(
    'NUMBER',
    '1',
    'With tracingEndpoint: fraction of all traces that is recorded, including those that clients begin, from 0 to 1.',
    parseRatio,
  ),
  logLevel: setting('LEVEL', 'info', 'Lowest level of messages to log: debug, info, warn or error.', parseLogLevel),
} as const;

interface TracingValues {
  readonly tracingEndpoint: string | undefined;
  readonly tracingHeaders: readonly (readonly [name: string, value: string])[];
  readonly tracingSampleRatio: number;
}

/** Returns undefined when tracing is not configured. */
export function toTracingOptions(values: TracingValues): TracingOptions | undefined {
  const { tracingEndpoint: endpoint, tracingHeaders, tracingSampleRatio: sampleRatio } = values;
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: Object.fromEntries(tracingHeaders), sampleRatio };
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.username === '') return url.href;
  throw new Error('it must be a URL such as http://localhost:4318/v1/traces');
}

function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)=([\x20-\x7e]+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error('each field must be name=value');
  return [name, value];
}

function parseRatio(text: string): number {
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new Error('it must be a number from 0 to 1');
}
