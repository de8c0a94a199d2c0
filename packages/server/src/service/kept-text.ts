import { z } from 'zod';
import { isKeepableText } from '../store/keepable-text.ts';

/** Text of the service that is kept, or asked for by: an answer in which no database holds it is none. */
export const keptText = (max: number) => z.string().max(max).refine(isKeepableText);
