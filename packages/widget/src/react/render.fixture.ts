import { renderToString } from 'react-dom/server';
import { page } from './shop.fixture.ts';

export const render = (): string => renderToString(page());
