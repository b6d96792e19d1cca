/** Gives each attribute of a property a preset value. */
export const presets = `
  UPDATE catalog_item SET crc = NULL, document = json_set(document, '$.attributes', json((
    SELECT json_group_array(json_object('name', value ->> '$.name', 'value', NULL, 'state', value ->> '$.state'))
    FROM json_each(document, '$.attributes')
  ))) WHERE kind = 'properties' AND json_valid(document);
`;
