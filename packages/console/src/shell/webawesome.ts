import { registerIconLibrary } from '@awesome.me/webawesome/dist/components/icon/library.js';
import '@awesome.me/webawesome/dist/components/badge/badge.js';
import '@awesome.me/webawesome/dist/components/button/button.js';
import '@awesome.me/webawesome/dist/components/callout/callout.js';
import '@awesome.me/webawesome/dist/components/icon/icon.js';
import '@awesome.me/webawesome/dist/components/skeleton/skeleton.js';
import '@awesome.me/webawesome/dist/components/spinner/spinner.js';
import '@awesome.me/webawesome/dist/translations/de.js';

/** Registers the sprite's icons, so that none is requested from another host. */
export function registerIcons(): void {
  const resolver = (name: string) => `${import.meta.env.BASE_URL}icons.svg#${name}`;
  for (const library of ['default', 'system']) {
    registerIconLibrary(library, { spriteSheet: true, resolver });
  }
}
