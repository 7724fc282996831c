import { isBase64 } from '../../support/base64.ts';
import type { Profile } from './profile.ts';

/**
 * File content under a name that no version has: `data` in the stream example of the 0.2 specification,
 * `fileWithBytes` and `fileWithUri` in a migration text that mixes 0.3's two forms.
 */
export const fileData: Profile = {
  name: 'file-data',
  repairs: [
    {
      code: 'file-content-misnamed',
      seam: 'file',
      expected: 'bytes or uri',
      instead: 'read the content from another member',
      apply({ data, fileWithBytes, fileWithUri, ...file }) {
        const bytes = fileWithBytes ?? data;
        // What is no base64 is not content; the complaint should be about what was sent.
        if (typeof bytes === 'string' && isBase64(bytes)) return { ...file, bytes };
        return typeof fileWithUri === 'string' ? { ...file, uri: fileWithUri } : undefined;
      },
    },
  ],
};
