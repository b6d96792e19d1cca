import type { Entry } from '../entries/entry.js';
import type { NewEntry } from '../entries/entry-extensions.port.js';
import type { ContainedCode } from '../kernel/contained-calls.js';

/** A property that a plug-in adds to an entry. */
export interface ProvidedProperty {
  readonly name: string;
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

/** The default export of a module, or the return value of the function that it exports by default. */
export interface Plugin {
  /**
   * Returns properties to store with a new entry; `[]` for none. After `signal` aborts, the result is ignored.
   */
  propertyProvider?(entry: NewEntry, signal: AbortSignal): Promise<readonly ProvidedProperty[]>;
  /** Called with each new entry after it is stored. `signal` aborts when the service stops waiting for the call. */
  notifier?(entry: Entry, signal: AbortSignal): Promise<void>;
  /** Called when the service stops. No other method is called afterwards. */
  close?(): Promise<void> | void;
}

export type PluginFactory = (context: PluginContext) => Plugin | Promise<Plugin>;

export interface PluginContext {
  /** Name of the plug-in in the configuration. */
  readonly name: string;
  /** The `plugin.<name>.<key>` settings of the configuration, by key. */
  readonly settings: Readonly<Record<string, string>>;
  /** Writes to the log of the service; each line has the name of the plug-in. */
  readonly log: PluginLog;
}

export interface PluginLog {
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** A plug-in with its name in the configuration. */
export interface NamedPlugin extends ContainedCode {
  readonly plugin: Plugin;
}
