"""Files and folders, as bytes: what there is, packed or not, in bounded memory."""
