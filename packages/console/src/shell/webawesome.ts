import { registerIconLibrary } from '@awesome.me/webawesome/dist/components/icon/library.js';
import '@awesome.me/webawesome/dist/components/badge/badge.js';
import '@awesome.me/webawesome/dist/components/button/button.js';
import '@awesome.me/webawesome/dist/components/callout/callout.js';
import '@awesome.me/webawesome/dist/components/dialog/dialog.js';
import '@awesome.me/webawesome/dist/components/drawer/drawer.js';
import '@awesome.me/webawesome/dist/components/icon/icon.js';
import '@awesome.me/webawesome/dist/components/input/input.js';
import '@awesome.me/webawesome/dist/components/option/option.js';
import '@awesome.me/webawesome/dist/components/select/select.js';
import '@awesome.me/webawesome/dist/components/skeleton/skeleton.js';
import '@awesome.me/webawesome/dist/components/spinner/spinner.js';
import '@awesome.me/webawesome/dist/components/textarea/textarea.js';
import '@awesome.me/webawesome/dist/translations/de.js';

/** Lucide names of Web Awesome's system icons. */
const systemNames: Record<string, string> = {
  xmark: 'x',
  'circle-xmark': 'circle-x',
  'eye-slash': 'eye-off',
  ellipsis: 'menu',
  'grip-vertical': 'menu',
  pause: 'minus',
};

/** Registers the sprite's icons, so that none is requested from another host. */
export function registerIcons(): void {
  const address = (name: string) => `${import.meta.env.BASE_URL}icons.svg#${name}`;
  registerIconLibrary('default', { spriteSheet: true, resolver: address });
  registerIconLibrary('system', {
    spriteSheet: true,
    resolver: (name) => address(systemNames[name] ?? name),
  });
}
