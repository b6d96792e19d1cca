// The fonts of the reader's machine: nothing is fetched, and the site is small.
import theme from 'vitepress/theme-without-fonts';

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default theme;
