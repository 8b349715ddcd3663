import { afterAll, it } from 'vitest';
import { cleanUp } from '../helpers/children.js';
import { surviveKills } from '../helpers/memory-kills.js';

afterAll(cleanUp);

it('an import that is killed leaves no half memory and is whole when repeated', async () => {
  await surviveKills(1, 150, ['some are stored']);
});
