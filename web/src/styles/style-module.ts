import { StyleModule as RulesModule } from '../../../node_modules/style-mod/src/style-mod.js';

const mounted = new Set<RulesModule>();

/** CodeMirror's style modules as adopted style sheets: the Content-Security-Policy forbids style elements. */
export class StyleModule extends RulesModule {
  static override mount(
    root: Document | ShadowRoot | DocumentOrShadowRoot,
    modules: RulesModule | readonly RulesModule[],
  ): void {
    for (const one of [modules].flat() as RulesModule[]) {
      if (mounted.has(one)) continue;
      mounted.add(one);
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(one.getRules());
      (root as Document).adoptedStyleSheets.unshift(sheet);
    }
  }
}
