import { hydrateRoot } from 'react-dom/client';
import { page } from './shop.fixture.ts';

const root = document.querySelector('#root');
if (!root) throw new Error('The server rendered no root.');
hydrateRoot(root, page());
