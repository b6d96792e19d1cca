import type { Entry } from '../entries/entry.js';
import type { NewEntry } from '../entries/entry-extensions.port.js';

/** A property that a plug-in adds to an entry. */
export interface ProvidedProperty {
  readonly name: string;
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

/** What a module exports by default, or what the function returns that it exports by default. */
export interface Plugin {
  /**
   * Properties for an entry that is about to be stored; `[]` for none. When `signal` aborts, it is too late for them.
   */
  propertyProvider?(entry: NewEntry, signal: AbortSignal): Promise<readonly ProvidedProperty[]>;
  /** Told of a new entry after it was stored. When `signal` aborts, nobody waits any longer. */
  notifier?(entry: Entry, signal: AbortSignal): Promise<void>;
  /** The service stops; nothing else is called afterwards. */
  close?(): Promise<void> | void;
}

export type PluginFactory = (context: PluginContext) => Plugin | Promise<Plugin>;

export interface PluginContext {
  /** The name that the plug-in has in the configuration. */
  readonly name: string;
  /** From the lines `plugin.<name>.<key> = value` of the configuration. */
  readonly settings: Readonly<Record<string, string>>;
  /** Writes to the log of the service, with the name of the plug-in. */
  readonly log: PluginLog;
}

export interface PluginLog {
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** A plug-in under the name that the configuration gives it. */
export interface NamedPlugin {
  readonly name: string;
  readonly plugin: Plugin;
}
