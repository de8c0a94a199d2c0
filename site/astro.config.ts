import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import starlight from '@astrojs/starlight';
import type { AstroIntegration } from 'astro';
import { defineConfig, passthroughImageService } from 'astro/config';
import { imageName, root } from './src/resolve.ts';
import { sections } from './src/sections.ts';

/** Copies the documents' images. */
const images: AstroIntegration = {
  name: 'images',
  hooks: {
    'astro:build:done': ({ dir }) => {
      for (const file of globSync('{docs,packages/*/docs}/*.png', { cwd: root })) {
        cpSync(join(root, file), join(fileURLToPath(dir), 'images', imageName(file)));
      }
    },
  },
};

export default defineConfig({
  // A merchant's own copy may be under a path, such as https://docs.example/financing/.
  base: process.env.DOCS_BASE ?? '/',
  trailingSlash: 'always',
  outDir: './dist/page',
  // The console's icon.
  publicDir: '../packages/console/public',
  cacheDir: './node_modules/.astro',
  // Images are delivered as is.
  image: { service: passthroughImageService() },
  markdown: {
    shikiConfig: {
      themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      defaultColor: false,
    },
  },
  devToolbar: { enabled: false },
  // Runs the programs as published, instead of through Vite.
  vite: {
    ssr: {
      external: ['contract', 'reconciliation', 'server'].map(
        (name) => `@financing-checkout/${name}`,
      ),
    },
  },
  integrations: [
    images,
    starlight({
      title: 'Financing Checkout',
      description: 'Documentation of the checkout, the companion and reconciliation.',
      locales: {
        root: { label: 'English', lang: 'en' },
        de: { label: 'Deutsch', lang: 'de' },
      },
      // A page is shown only after all its content has arrived: each table row can change the
      // column widths, and half a sidebar would shift the layout.
      head: [{ tag: 'link', attrs: { rel: 'expect', href: '#_end', blocking: 'render' } }],
      customCss: ['./src/site.css'],
      favicon: '/favicon.svg',
      // Its style sheet would load in the middle of the page and shift the layout.
      expressiveCode: false,
      sidebar: sections.map(({ label, german, entries, collapsed = false }) => ({
        label,
        translations: { de: german },
        collapsed,
        items: entries.map((entry) => ({
          label: entry.label,
          translations: { de: entry.german ?? entry.label },
          link: `/${entry.id === 'index' ? '' : `${entry.id}/`}`,
        })),
      })),
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
    }),
  ],
});
