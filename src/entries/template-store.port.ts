import type { ListSize } from '../kernel/list-limits.js';
import type { StoredTemplate, Template } from './template.js';

export interface TemplateReader {
  /** Returns the template; undefined when none has this id. */
  find(id: string): Promise<StoredTemplate | undefined>;
  /**
   * Yields all templates, ordered by name, without a limit. They are read while they are consumed, and other work can
   * run in between: a template that changes in the meantime is yielded in its earlier or its new state.
   */
  list(): AsyncGenerator<StoredTemplate>;
  /** Returns the size of the list. */
  measure(): Promise<ListSize>;
}

export interface TemplateStore extends TemplateReader {
  /**
   * Adds the template, or replaces the one with the same id.
   * @throws Fault invalid `template.name-taken` when another template has the same name, ignoring case
   */
  put(template: Template): Promise<void>;
  /** Removes the template. Returns false when there was none. */
  remove(id: string): Promise<boolean>;
}
