import type { Template } from './template.js';

export interface TemplateReader {
  /** Returns the template; undefined when none has this id. */
  find(id: string): Promise<Template | undefined>;
  /** Lists all templates, ordered by name. */
  list(): Promise<Template[]>;
}

export interface TemplateStore extends TemplateReader {
  /**
   * Adds the template, or replaces the one with the same id.
   * @throws Fault invalid `template.name-taken` when another template has the same name, ignoring case
   */
  put(template: Template): Promise<void>;
  /** Removes the template. True when removed; false, and no effect, when there was none. */
  remove(id: string): Promise<boolean>;
}
