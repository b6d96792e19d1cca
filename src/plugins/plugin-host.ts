import { inspect } from 'node:util';
import type { PropertyDraft } from '../entries/entry-draft.js';
import type { EntryExtensions, NewEntry } from '../entries/entry-extensions.port.js';
import type { StoredEntry } from '../entries/entry-json.js';
import { callContained, describeThrown, findContained } from '../kernel/contained-calls.js';
import type { Log } from '../kernel/log.js';
import { withTimeout } from '../kernel/with-timeout.js';
import { NotifierQueue } from './notifier-queue.js';
import type { NamedPlugin } from './plugin.js';
import { PropertyProviders } from './property-providers.js';

const drainMs = 3_000;
const closeMs = 2_000;

/** Runs the loaded plug-ins, and contains their failures. */
export class PluginHost implements EntryExtensions {
  private readonly providers: PropertyProviders;
  private readonly queues: readonly NotifierQueue[];

  constructor(
    private readonly plugins: readonly NamedPlugin[],
    private readonly log: Log,
    /** Maximum total size of all provided properties of one entry, in bytes of JSON. */
    maxPropertyBytes: number,
  ) {
    this.providers = new PropertyProviders(
      plugins.filter(({ plugin }) => plugin.propertyProvider),
      log,
      maxPropertyBytes,
    );
    if (plugins.length > 0) surviveFailures(log);
    this.queues = plugins.filter(({ plugin }) => plugin.notifier).map((notifier) => new NotifierQueue(notifier, log));
  }

  provideProperties(entry: NewEntry): Promise<PropertyDraft[]> {
    return this.providers.provideProperties(entry);
  }

  announce(stored: StoredEntry): void {
    if (this.queues.length === 0) return;
    for (const queue of this.queues) queue.add(stored);
  }

  /** Waits a few seconds for the notifiers, and then closes all plug-ins. */
  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close(drainMs)));
    await Promise.all(
      this.plugins.map(async (one) => {
        try {
          await withTimeout(closeMs, () => callContained(one, () => one.plugin.close?.()));
        } catch (error) {
          this.log.warn({ err: describeThrown(error), plugin: one.name }, 'closing a plug-in failed');
        }
      }),
    );
  }
}

let failureLog: Log | undefined;

/**
 * Keeps the process alive when a plug-in fails outside of its calls, such as in a timer. This lasts until the process
 * ends, because timers of a closed plug-in may also fail. Other failures still end the process.
 */
function surviveFailures(log: Log): void {
  const isListening = failureLog !== undefined;
  failureLog = log;
  if (isListening) return;
  process.on('uncaughtException', (thrown) => {
    const plugin = findContained(thrown);
    if (plugin) {
      failureLog?.error({ err: describeThrown(thrown), plugin: plugin.name }, 'plug-in failed outside of its calls');
      return;
    }
    process.stderr.write(`${inspect(thrown)}\n`);
    process.exit(1);
  });
}
