import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiTypes, describedApi } from '../../scripts/api-types.js';
import { productDir } from '../../src/kernel/product.js';

test('the types of the browser client are those of the OpenAPI description; npm run docs writes them', async () => {
  const committed = readFileSync(join(productDir, 'web', 'src', 'api', 'schema.ts'), 'utf8');
  expect(await apiTypes(await describedApi())).toBe(committed);
});
