import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { apiTypes, describedApi } from './api-types.js';

writeFileSync(join(productDir, 'web', 'src', 'api', 'schema.ts'), await apiTypes(await describedApi()));
