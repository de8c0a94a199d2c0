import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/assets/',
  publicDir: false,
  // The build fails if a file for shoppers contains the private key or the companion's code.
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
