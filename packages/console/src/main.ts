import { setLanguage } from './locale/locale.ts';
import { applyTheme } from './shell/theme.ts';
import { registerIcons } from './shell/webawesome.ts';

registerIcons();
applyTheme();
await setLanguage();
await import('./shell/console.ts');
