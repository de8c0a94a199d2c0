import { copyFileSync, cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import react from '@vitejs/plugin-react';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const here = import.meta.dirname;
const pages = join(here, 'pages');
const dist = join(here, 'dist');

export default defineConfig({
  root: pages,
  plugins: [
    react(),
    // Without this, Vue would treat the tag as a Vue component.
    vue({
      template: { compilerOptions: { isCustomElement: (tag) => tag === 'financing-checkout' } },
    }),
    svelte(),
    {
      // Pages that need no bundler are served unchanged.
      name: 'plain-page',
      closeBundle() {
        const cdn = join(
          dirname(
            createRequire(import.meta.url).resolve(
              '@financing-checkout/widget/cdn/financing-checkout.js',
            ),
          ),
        );
        cpSync(cdn, join(dist, 'financing-checkout'), { recursive: true });
        for (const page of ['plain.html', 'routes.html']) {
          copyFileSync(join(pages, page), join(dist, page));
        }
      },
    },
  ],
  build: {
    outDir: dist,
    emptyOutDir: true,
    rollupOptions: { input: ['react', 'vue', 'svelte'].map((name) => join(pages, `${name}.html`)) },
  },
});
