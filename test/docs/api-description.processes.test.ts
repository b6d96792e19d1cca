import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiTypes, describedApi } from '../../scripts/api-types.js';
import { hasTools, importTool } from '../../scripts/tools.js';
import { productDir } from '../../src/kernel/product.js';

interface Linter {
  createConfig(rules: object): Promise<unknown>;
  lintFromString(input: {
    source: string;
    config: unknown;
  }): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}

describe.skipIf(process.env.CI === undefined && !hasTools)('the OpenAPI description (needs the tools)', () => {
  let description: Awaited<ReturnType<typeof describedApi>>;
  beforeAll(async () => {
    description = await describedApi();
  });

  test('has no finding of a linter', async () => {
    const { createConfig, lintFromString } = await importTool<Linter>('@redocly/openapi-core');
    // `/logs/attachments/…` goes before `/logs/{logId}/versions/…`: no id of an entry is a word.
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
    const problems = await lintFromString({ source: JSON.stringify(description), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  test('has the types of the browser client; npm run docs writes them', async () => {
    const committed = readFileSync(join(productDir, 'web', 'src', 'api', 'schema.ts'), 'utf8');
    expect(await apiTypes(description)).toBe(committed);
  });
});
