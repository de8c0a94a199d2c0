import type { Texts } from '../locale.ts';

export const help: Texts['help'] = {
  title: 'Hilfe',
};
