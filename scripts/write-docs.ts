import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { configurationPage } from './configuration-page.js';
import { directoriesPage } from './directories-page.js';
import { existingSitesSection, existingSitesTitle } from './existing-sites-page.js';

writeFileSync(join(productDir, 'docs', 'operator', 'configuration.md'), configurationPage());
writeFileSync(join(productDir, 'docs', 'operator', 'directories.md'), directoriesPage());

const movingIn = join(productDir, 'docs', 'operator', 'moving-in.md');
const [own = ''] = readFileSync(movingIn, 'utf8').split(existingSitesTitle);
writeFileSync(movingIn, own + existingSitesSection());
