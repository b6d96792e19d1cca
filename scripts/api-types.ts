import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService } from '../src/app/start-service.js';
import { loadConfig } from '../src/config/load-config.js';
import { importTool } from './tools.js';

/** The parts of an OpenAPI description that matter here. */
interface ApiDescription {
  readonly paths: Readonly<Record<string, unknown>>;
}

interface Generator {
  readonly default: (description: unknown) => Promise<unknown>;
  readonly astToString: (ast: unknown) => string;
}

/** Returns the OpenAPI description of a service with the default settings. */
export async function describedApi(): Promise<ApiDescription> {
  const dataDir = await mkdtemp(join(tmpdir(), 'logbook-api-'));
  const { options } = loadConfig(
    { flags: { httpPort: '0', httpsPort: '0', dataDir }, properties: {}, configFile: undefined },
    {},
  );
  const service = await startService(options, pino({ level: 'silent' }), new AbortController().signal);
  try {
    const response = await fetch(`${service.addresses.http}/openapi.json`);
    return (await response.json()) as ApiDescription;
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the TypeScript types with which the browser client calls the API; its paths are relative to the root path. */
export async function apiTypes(description: ApiDescription): Promise<string> {
  const { default: generate, astToString } = await importTool<Generator>('openapi-typescript');
  const paths = Object.entries(description.paths).map(([path, item]) => [path.replace(/^\/logbook(?=\/|$)/, ''), item]);
  const types = astToString(await generate({ ...description, paths: Object.fromEntries(paths) }));
  return `// Generated from the OpenAPI description by \`npm run docs\`.\n\n${types}`;
}
