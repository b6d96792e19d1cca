import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { configurationPage } from './configuration-page.js';
import { directoriesPage } from './directories-page.js';
import { existingSitesPage } from './existing-sites-page.js';

writeFileSync(join(productDir, 'docs', 'operator', 'configuration.md'), configurationPage());
writeFileSync(join(productDir, 'docs', 'operator', 'directories.md'), directoriesPage());
writeFileSync(join(productDir, 'docs', 'operator', 'existing-sites.md'), existingSitesPage());
