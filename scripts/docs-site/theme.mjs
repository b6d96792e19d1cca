// The pages use the fonts of the reader's machine, so that the site is small and fetches nothing.
import theme from 'vitepress/theme-without-fonts';

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default theme;
