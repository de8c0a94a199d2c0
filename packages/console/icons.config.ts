import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

/** Names of the Lucide icons that the console uses. */
const names = [
  ...[
    'activity',
    'arrow-left',
    'arrow-right',
    'badge-check',
    'ban',
    'bell',
    'book-text',
    'calendar-days',
  ],
  ...['calendar-clock', 'chart-column', 'check', 'chevron-down', 'chevron-left', 'chevron-right'],
  ...[
    'chevron-up',
    'circle-alert',
    'circle-check',
    'circle-question-mark',
    'circle-x',
    'clock',
    'copy',
  ],
  ...['download', 'eye', 'eye-off', 'file-up', 'filter', 'folder-open', 'history', 'inbox', 'info'],
  ...[
    'languages',
    'link',
    'list-checks',
    'lock',
    'log-out',
    'menu',
    'minus',
    'moon',
    'package',
    'plus',
    'printer',
  ],
  ...[
    'receipt-text',
    'refresh-cw',
    'rotate-ccw',
    'scale',
    'search',
    'send',
    'shield-check',
    'star',
  ],
  ...[
    'sun',
    'sun-moon',
    'triangle-alert',
    'undo-2',
    'upload',
    'user',
    'user-round',
    'wallet',
    'wifi-off',
    'x',
  ],
];

/**
 * Writes `icons.svg`, one sprite with all icons. Web Awesome shows a sprite icon without parsing
 * text as HTML, which Trusted Types would block.
 */
export function icons(): Plugin {
  const require = createRequire(import.meta.url);
  const symbols = names.map((name) => {
    const svg = readFileSync(require.resolve(`lucide-static/icons/${name}.svg`), 'utf8');
    const inner = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(svg)?.[1] ?? '';
    return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${inner.replace(/\s+/g, ' ').trim()}</symbol>`;
  });
  return {
    name: 'console-icons',
    generateBundle() {
      const source = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
      this.emitFile({ type: 'asset', fileName: 'icons.svg', source });
    },
  };
}
