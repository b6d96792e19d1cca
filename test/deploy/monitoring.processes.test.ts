import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { TestService } from '../fixtures/service.js';

const execute = promisify(execFile);
const promtool = (process.env.PATH ?? '')
  .split(':')
  .map((dir) => join(dir, 'promtool'))
  .find((file) => existsSync(file));
const testWithPromtool = test.skipIf(process.env.CI === undefined && promtool === undefined);
const rules = join(productDir, 'deploy', 'monitoring', 'alerts.yaml');

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'logbook-monitoring-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Returns what the linter of Prometheus objects to. */
async function lintMetrics(metrics: string): Promise<string> {
  const child = spawn(String(promtool), ['check', 'metrics'], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(metrics);
  const [complaints] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return complaints;
}

testWithPromtool('the linter of Prometheus accepts the names and types of all metrics', async () => {
  const backupTarget = await makeDir();
  const logbook = await TestService.start({ backupTarget, backupAt: '00:00' });
  onTestFinished(() => logbook.stop());
  await logbook.create();
  const metrics = async () => (await fetch(`${logbook.origin}/metrics`)).text();
  await expect.poll(metrics).toContain('logbook_backup_age_seconds{');
  expect(await lintMetrics(await metrics())).toBe('');
});

/** Runs tests of the alerts, whose texts are not compared. */
async function testAlerts(tests: readonly object[]): Promise<string> {
  const dir = await makeDir();
  const source = await execute('sed', ['/^ *annotations:/,/^ *action:/d', rules]);
  await writeFile(join(dir, 'alerts.yaml'), source.stdout);
  const file = join(dir, 'test.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ rule_files: [join(dir, 'alerts.yaml')], tests }));
  await execute(String(promtool), ['check', 'rules', rules]);
  return (await execute(String(promtool), ['test', 'rules', file])).stdout;
}

testWithPromtool('an alert fires while no backup was ever made, and ends with the first one', async () => {
  const up = { series: 'up{job="logbook", instance="a"}', values: '1x1000' };
  const none = { alertname: 'LogbookNoBackup', exp_alerts: [{ exp_labels: { severity: 'critical' } }] };
  const tests = [
    { interval: '1m', input_series: [up], alert_rule_test: [{ ...none, eval_time: '7h' }] },
    {
      interval: '1m',
      input_series: [up, { series: 'logbook_backup_age_seconds{job="logbook", instance="a"}', values: '0+60x1000' }],
      alert_rule_test: [{ alertname: 'LogbookNoBackup', eval_time: '7h', exp_alerts: [] }],
    },
  ];
  expect(await testAlerts(tests)).toContain('SUCCESS');
});

testWithPromtool('a search index that has not caught up since the start has no lag in seconds', async () => {
  const fires = [{ exp_labels: { severity: 'warning', job: 'logbook', instance: 'a' } }];
  const testOf = (values: string, lags: object[], notReady: object[]) => ({
    interval: '1m',
    input_series: [{ series: 'logbook_search_lag_seconds{job="logbook", instance="a"}', values }],
    alert_rule_test: [
      { alertname: 'LogbookSearchLags', eval_time: '2h', exp_alerts: lags },
      { alertname: 'LogbookSearchNotReady', eval_time: '2h', exp_alerts: notReady },
    ],
  });
  const tests = [
    testOf(Array.from({ length: 150 }, () => '+Inf').join(' '), [], fires),
    testOf('20x200', fires, []),
    testOf('1x200', [], []),
  ];
  expect(await testAlerts(tests)).toContain('SUCCESS');
});
