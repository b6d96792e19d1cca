// Removes files from dist/ whose sources were moved or removed, because stale tests would still run.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

for (const folder of ['src', 'packages', 'test', 'bench', 'scripts']) {
  const built = join('dist', folder);
  if (!existsSync(built)) continue;
  for (const name of readdirSync(built, { recursive: true })) {
    const source = join(folder, String(name).replace(/\.js(\.map)?$/, '.ts'));
    if (!existsSync(source)) rmSync(join(built, String(name)), { recursive: true, force: true });
  }
}
