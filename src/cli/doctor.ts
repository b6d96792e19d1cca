import { checkUser } from '../app/doctor/check-user.js';
import { type Diagnosis, type DiagnosisStatus, worstOf } from '../app/doctor/diagnosis.js';
import { examine } from '../app/doctor/examine.js';
import { ConfigError } from '../config/config-error.js';
import type { LoadedConfig } from '../config/load-config.js';
import { counted } from '../kernel/text.js';
import { commandLog } from './command-log.js';
import { findStartupWarnings, noSignIn } from './startup-warnings.js';
import { printStatus } from './status-line.js';

const exitCodes: Readonly<Record<DiagnosisStatus, number>> = { ok: 0, warning: 1, problem: 2 };
const labels: Readonly<Record<DiagnosisStatus, string>> = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' };

/**
 * Examines the installation, and prints a line with advice for each check. Exit code 0: everything is fine; 1: there
 * are warnings; 2: there are problems.
 * @param loadConfig throws ConfigError
 */
export async function doctor(
  loadConfig: () => LoadedConfig,
  { json = false }: { readonly json?: boolean },
  stop: AbortSignal,
): Promise<void> {
  const found: Diagnosis[] = [];
  for await (const diagnosis of examineAll(loadConfig, stop)) {
    found.push(diagnosis);
    const { check, status, text, advice } = diagnosis;
    if (!json)
      printStatus(
        `${labels[status]}  ${check}: ${text}${advice === undefined ? '' : `${text.endsWith('.') ? '' : '.'} ${advice}`}`,
      );
  }
  const status = worstOf(found);
  const countOf = (wanted: DiagnosisStatus) => found.filter((one) => one.status === wanted).length;
  if (json) console.log(JSON.stringify({ status, checks: found }, undefined, 2));
  else if (status === 'ok') console.log('All is well.');
  else console.log(`${counted(countOf('problem'), 'problem')}, ${counted(countOf('warning'), 'warning')}; see above.`);
  process.exitCode = exitCodes[status];
}

async function* examineAll(loadConfig: () => LoadedConfig, stop: AbortSignal): AsyncGenerator<Diagnosis> {
  const check = 'configuration';
  let config: LoadedConfig;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const text of error.problems) {
      yield { check, status: 'problem', text, advice: 'The service cannot start like this.' };
    }
    return;
  }
  const { options, deprecations, logLevel } = config;
  const warnings = findStartupWarnings(options);
  for (const text of warnings) yield { check, status: 'warning', text };
  for (const { origin, replacement } of deprecations) {
    yield { check, status: 'warning', text: `${origin} is a deprecated name`, advice: `Use ${replacement}.` };
  }
  if (!config.hasSignIn) yield { check, status: 'problem', text: noSignIn };
  else if (warnings.length === 0 && deprecations.length === 0)
    yield { check, status: 'ok', text: `all settings are valid (${config.configFile ?? 'no configuration file'})` };
  yield* checkUser(options.storage.dataDir, config.files);
  // The log is silent, because the findings include the messages of the connections.
  const silent = commandLog(logLevel).child({}, { level: 'silent' });
  yield* examine(options, silent, stop);
}
