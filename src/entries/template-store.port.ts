import type { Template } from './template.js';

export interface TemplateReader {
  /** Undefined when there is none of that id. */
  find(id: string): Promise<Template | undefined>;
  /** All templates, ordered by name. */
  list(): Promise<Template[]>;
}

export interface TemplateStore extends TemplateReader {
  /**
   * Adds the template, or replaces the one of that id.
   * @throws Fault invalid `template.name-taken` when another has that name, ignoring case
   */
  put(template: Template): Promise<void>;
  /** True when removed; false, and no effect, when there was none. */
  remove(id: string): Promise<boolean>;
}
