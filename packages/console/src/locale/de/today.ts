import type { Texts } from '../locale.ts';

export const today: Texts['today'] = {
  title: 'Heute',
};
