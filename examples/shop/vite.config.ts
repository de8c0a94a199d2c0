import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/assets/',
  publicDir: false,
  // The private key, or code of the companion, in what shoppers download fails the build.
  plugins: [keyFence()],
  build: {
    outDir: 'dist/client',
    assetsDir: '.',
    assetsInlineLimit: 0,
    manifest: true,
    sourcemap: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['src/client/main.ts', 'src/client/shop.css'] },
  },
});
