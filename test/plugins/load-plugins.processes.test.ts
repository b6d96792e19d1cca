import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { Site } from './site.js';

let site: Site;
afterEach(() => site.remove());

const good = `export default { async propertyProvider() { return [{ name: 'Good' }]; } };`;

/** Runs the program until it exits. */
async function run(args: readonly string[]) {
  const logbook = LogbookProcess.spawn(join(site.dir, 'data'), { args });
  const code = await logbook.exit();
  return {
    code,
    output: logbook.output,
    lines: logbook.errors
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  };
}

test('each problem of a plug-in is one line, and the service does not start', async () => {
  site = await Site.make({
    'good.mjs': `${good} setInterval(() => {}, 1000);`,
    'throws.mjs': `throw new Error('no licence\\nand more');`,
    'syntax.mjs': 'export default {',
    'nothing.mjs': 'export const plugin = {};',
    'empty.mjs': 'export default {};',
    'wrong.mjs': `export default { notifier: 'yes' };`,
    'factory.mjs': `export default async ({ name }) => { throw new TypeError(name + ' needs a url'); };`,
    'node_modules/closed/package.json': '{"name": "closed", "exports": {"./other": "./x.js"}}',
  });
  const { code, output, lines } = await run([
    '--config',
    await site.configure(
      'plugins = good.mjs, gone=./missing.mjs, no-package, throws.mjs, syntax.mjs, nothing.mjs, empty.mjs, wrong.mjs, factory.mjs, closed',
      'plugin.god.key = value',
    ),
  ]);
  expect({ code, output }).toEqual({ code: 78, output: '' });
  const expected = [
    /^The configuration has problems; nothing was done:$/,
    /^plug-in gone \(\.\/missing\.mjs\): file or package not found in .+ or .+$/,
    /^plug-in no-package \(no-package\): file or package not found in /,
    /^plug-in throws \(throws\.mjs\): no licence$/,
    /^plug-in syntax \(syntax\.mjs\): SyntaxError: Unexpected end of input$/,
    /^plug-in nothing \(nothing\.mjs\): its default export is neither a plug-in nor a function that returns one$/,
    /^plug-in empty \(empty\.mjs\): it has neither a propertyProvider nor a notifier$/,
    /^plug-in wrong \(wrong\.mjs\): its notifier is not a function$/,
    /^plug-in factory \(factory\.mjs\): TypeError: factory needs a url$/,
    /^plug-in closed \(closed\): .+exports/,
    /^plugin\.god\.key in .+: there is no plug-in named god; check the setting plugins$/,
  ];
  expect(lines).toHaveLength(expected.length);
  expected.forEach((pattern, index) => {
    expect(lines[index]).toMatch(pattern);
  });
});

test.each([
  ['a.mjs, sub/a.mjs', 'two plug-ins are named a: rename one with name=module'],
  ['my.plugin.mjs', 'needs a name of letters, digits, _ and -: write name=my.plugin.mjs'],
])('plugins = %s is an error', async (text, problem) => {
  site = await Site.make({});
  const { code, lines } = await run(['--plugins', text]);
  expect(code).toBe(78);
  expect(lines.join('\n')).toContain(problem);
});

test('a plug-in is a file next to the configuration, a file with a path, or a package, under its own or a given name', async () => {
  const named = `export default async ({ name, settings }) => ({
    propertyProvider: async () => [{ name, attributes: Object.entries(settings).map(([name, value]) => ({ name, value })) }],
  });`;
  site = await Site.make({
    'sub/file.mjs': named,
    'node_modules/@site/pack/package.json': '{"name": "@site/pack", "exports": {"import": "./esm.mjs"}}',
    'node_modules/@site/pack/esm.mjs': named,
    'old.cjs': 'module.exports = { propertyProvider: async () => [{ name: "old" }] };',
  });
  const logbook = await site.start(
    `plugins = sub/file.mjs, second=${join(site.dir, 'sub/file.mjs')}, @site/pack, ./old.cjs`,
    'plugin.file.key = 1',
    'plugin.second.url.path = a=b',
    'plugin.pack.key = 2',
  );
  const properties = (await logbook.create()).properties.map(({ name, attributes }) => [
    name,
    ...attributes.map((attribute) => `${attribute.name}=${attribute.value}`),
  ]);
  expect(properties).toEqual([['file', 'key=1'], ['second', 'url.path=a=b'], ['pack', 'key=2'], ['old']]);
});

test('the program runs a plug-in, masks its settings in the output, and stops', async () => {
  site = await Site.make({
    'good.mjs': `export default ({ log }) => { log.info('hello', { from: 1 }); return ${good.slice('export default '.length)} }`,
  });
  const config = await site.configure('plugins = good.mjs', 'plugin.good.password = hush');
  const { output } = await run(['config', '--config', config]);
  expect(output).toMatch(/^plugins = good\.mjs /m);
  expect(output).toMatch(/^plugin\.good\.password = \*{8} {2}# plugin\.good\.password in /m);
  expect(output).not.toContain('hush');
  const logbook = await LogbookProcess.start(join(site.dir, 'data'), { args: ['--config', config] });
  await expect.poll(() => logbook.errors).toMatch(/"plugin":"good".*"msg":"hello"/);
  expect(await logbook.stop()).toBe(0);
});
